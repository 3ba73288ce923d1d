// Portable grey and colour maps (binary PGM and PPM, eight bits), as CUDA sample programs read and
// write them.
#ifndef RADDLE_CUDA_HELPER_IMAGE_H
#define RADDLE_CUDA_HELPER_IMAGE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads the next number of a header, past white space and comments; -1 when there is none.
static inline int raddle_image_number(FILE* file) {
  int character = fgetc(file);
  while (character == '#' || character == ' ' || character == '\n' || character == '\r' ||
         character == '\t') {
    if (character == '#')
      while (character != '\n' && character != EOF) character = fgetc(file);
    character = fgetc(file);
  }
  if (character < '0' || character > '9') return -1;
  int value = 0;
  for (; character >= '0' && character <= '9' && value < 100000000; character = fgetc(file))
    value = value * 10 + (character - '0');
  return value;
}

static inline bool __loadPPM(const char* path, unsigned char** data, unsigned int* width,
                             unsigned int* height, unsigned int* channels) {
  FILE* file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "__LoadPPM() : Failed to open file: %s\n", path);
    return false;
  }
  const int letter = fgetc(file), kind = fgetc(file);
  *channels = kind == '5' ? 1 : kind == '6' ? 3 : 0;
  const int w = raddle_image_number(file), h = raddle_image_number(file),
            maximum = raddle_image_number(file);
  if (letter != 'P' || *channels == 0 || w <= 0 || h <= 0 || maximum <= 0 || maximum > 255) {
    fprintf(stderr, "__LoadPPM() : File is not a PPM or PGM image\n");
    fclose(file);
    return false;
  }
  const size_t bytes = (size_t)w * (size_t)h * *channels;
  if (*data == NULL) *data = (unsigned char*)malloc(bytes);
  const bool whole = fread(*data, 1, bytes, file) == bytes;
  if (!whole) fprintf(stderr, "__LoadPPM() : Invalid image.\n");
  *width = (unsigned int)w;
  *height = (unsigned int)h;
  fclose(file);
  return whole;
}

static inline bool __savePPM(const char* path, const unsigned char* data, unsigned int width,
                             unsigned int height, unsigned int channels) {
  FILE* file = fopen(path, "wb");
  if (!file) {
    fprintf(stderr, "__savePPM() : Opening file failed: %s\n", path);
    return false;
  }
  fprintf(file, "P%c\n%u\n%u\n255\n", channels == 1 ? '5' : '6', width, height);
  const size_t bytes = (size_t)width * height * channels;
  const bool whole = fwrite(data, 1, bytes, file) == bytes;
  return fclose(file) == 0 && whole;
}

// Floats stand for 0 … 255 as 0 … 1.
template <class T>
struct RaddlePixel {
  static T from(unsigned char value) { return (T)value; }
  static unsigned char to(T value) { return (unsigned char)value; }
};
template <>
struct RaddlePixel<float> {
  static float from(unsigned char value) { return (float)value / 255.0f; }
  static unsigned char to(float value) { return (unsigned char)(value * 255.0f); }
};

template <class T>
inline bool sdkLoadPGM(const char* path, T** data, unsigned int* width, unsigned int* height) {
  unsigned char* bytes = NULL;
  unsigned int channels = 0;
  const bool loaded = __loadPPM(path, &bytes, width, height, &channels);
  if (loaded) {
    const size_t count = (size_t)*width * *height;
    if (*data == NULL) *data = (T*)malloc(count * sizeof(T));
    for (size_t i = 0; i < count; ++i) (*data)[i] = RaddlePixel<T>::from(bytes[i * channels]);
  }
  free(bytes);
  return loaded;
}
template <class T>
inline bool sdkSavePGM(const char* path, const T* data, unsigned int width, unsigned int height) {
  const size_t count = (size_t)width * height;
  unsigned char* bytes = (unsigned char*)malloc(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = RaddlePixel<T>::to(data[i]);
  const bool saved = __savePPM(path, bytes, width, height, 1);
  free(bytes);
  return saved;
}
// Colour images come back with a fourth, zero, byte.
inline bool sdkLoadPPM4ub(const char* path, unsigned char** data, unsigned int* width,
                          unsigned int* height) {
  unsigned char* bytes = NULL;
  unsigned int channels = 0;
  const bool loaded = __loadPPM(path, &bytes, width, height, &channels) && channels == 3;
  if (loaded) {
    const size_t count = (size_t)*width * *height;
    if (*data == NULL) *data = (unsigned char*)malloc(count * 4);
    for (size_t i = 0; i < count; ++i) {
      memcpy(*data + 4 * i, bytes + 3 * i, 3);
      (*data)[4 * i + 3] = 0;
    }
  }
  free(bytes);
  return loaded;
}
inline bool sdkSavePPM4ub(const char* path, const unsigned char* data, unsigned int width,
                          unsigned int height) {
  const size_t count = (size_t)width * height;
  unsigned char* bytes = (unsigned char*)malloc(count * 3);
  for (size_t i = 0; i < count; ++i) memcpy(bytes + 3 * i, data + 4 * i, 3);
  const bool saved = __savePPM(path, bytes, width, height, 3);
  free(bytes);
  return saved;
}

#endif
