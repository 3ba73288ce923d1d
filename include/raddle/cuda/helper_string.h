// Command-line helpers that CUDA sample programs use: -name, --name and -name=value.
#ifndef RADDLE_CUDA_HELPER_STRING_H
#define RADDLE_CUDA_HELPER_STRING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifndef STRCASECMP
#define STRCASECMP strcasecmp
#endif
#ifndef STRNCASECMP
#define STRNCASECMP strncasecmp
#endif
#ifndef STRCPY
#define STRCPY(destination, length, source) strcpy(destination, source)
#endif
#ifndef FOPEN
#define FOPEN(handle, name, mode) (handle = fopen(name, mode))
#endif
#ifndef SPRINTF
#define SPRINTF sprintf
#endif
#ifndef SSCANF
#define SSCANF sscanf
#endif
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

// The text after "-name=" (empty after a bare "-name"), or null when the flag is not there.
static inline const char* raddle_find_flag(int argc, const char** argv, const char* name) {
  const size_t length = strlen(name);
  for (int i = 1; i < argc; ++i) {
    const char* text = argv[i];
    while (*text == '-') ++text;
    if (text == argv[i] || strncasecmp(text, name, length) != 0) continue;
    if (text[length] == '=') return text + length + 1;
    if (text[length] == '\0') return text + length;
  }
  return NULL;
}

static inline bool checkCmdLineFlag(const int argc, const char** argv, const char* name) {
  return raddle_find_flag(argc, argv, name) != NULL;
}
static inline int getCmdLineArgumentInt(const int argc, const char** argv, const char* name) {
  const char* text = raddle_find_flag(argc, argv, name);
  return text ? atoi(text) : 0;
}
static inline float getCmdLineArgumentFloat(const int argc, const char** argv, const char* name) {
  const char* text = raddle_find_flag(argc, argv, name);
  return text ? (float)atof(text) : 0.0f;
}
static inline bool getCmdLineArgumentString(const int argc, const char** argv, const char* name,
                                            char** value) {
  const char* text = raddle_find_flag(argc, argv, name);
  *value = text ? (char*)text : NULL;
  return text != NULL;
}
template <class T>
inline bool getCmdLineArgumentValue(const int argc, const char** argv, const char* name, T* value) {
  const char* text = raddle_find_flag(argc, argv, name);
  if (text) *value = (T)atof(text);
  return text != NULL;
}

// The first of a few usual places where the file can be read, or null. The caller owns the text.
static inline char* sdkFindFilePath(const char* file_name, const char*) {
  static const char* const kFolders[] = {
      "", "./data/", "../data/", "../../data/", "./common/data/", "../common/data/"};
  for (const char* folder : kFolders) {
    char* path = (char*)malloc(strlen(folder) + strlen(file_name) + 1);
    strcpy(path, folder);
    strcat(path, file_name);
    FILE* file = fopen(path, "rb");
    if (file) {
      fclose(file);
      return path;
    }
    free(path);
  }
  return NULL;
}

#endif
