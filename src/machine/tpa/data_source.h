// Where the words of an array come from and go to: files, lists, and rules that give the same words
// on every computer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machine/tpa/isa.h"

namespace raddle::machine::tpa {

// What the words of an array stand for, in texts: integers, or floating-point numbers.
enum class WordForm : std::uint8_t { kInteger, kSingle, kDouble };

// "iota[:FIRST[:STEP]]", "random:SEED[:LOW:HIGH]", "permutation:SEED" (of 0 … count-1),
// "fill:VALUE", a list "3,1,2", or a file. Lists and files may be shorter than the array. The
// integers of the rules become numbers of the form. Throws Error.
std::vector<Word> words_from(std::string_view text, Word count, WordForm form = WordForm::kInteger);

// Numbers with blanks, commas and line ends between them or, where the name ends in .bin, 64-bit
// little-endian words. Throws Error.
std::vector<Word> read_words(const std::string& file, WordForm form = WordForm::kInteger);
// Written whole or not at all, in the form that the name's ending says.
void write_words(const std::string& file, const std::vector<Word>& words,
                 WordForm form = WordForm::kInteger);
std::string text_of(Word word, WordForm form);

}  // namespace raddle::machine::tpa
