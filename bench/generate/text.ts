import { randomAt, type Random } from "./random.ts";

/** In about one question, and one answer, of 40. */
export const rareWord = "photosynthesis";

const vocabularySize = 2048;
const rareWordRank = 100;

const vocabulary = buildVocabulary();

/** `count` words with sentence ends; common words are common. `paragraphs` adds line breaks. */
export function sentences(random: Random, count: number, paragraphs = false): string {
  let text = "";
  let sentenceStart = true;
  for (let index = 0; index < count; index += 1) {
    const uniform = random();
    const word = vocabulary[Math.floor(uniform * uniform * vocabularySize)] ?? "";
    text += sentenceStart ? word.charAt(0).toUpperCase() + word.slice(1) : word;
    sentenceStart = index === count - 1 || random() < 0.08;
    if (sentenceStart) text += index === count - 1 ? "." : paragraphs && random() < 0.3 ? ".\n" : ". ";
    else text += " ";
  }
  return text;
}

function buildVocabulary(): string[] {
  const random = randomAt(7, 0, 0);
  const onsets = ["b", "br", "c", "d", "f", "g", "h", "l", "m", "n", "p", "pr", "r", "s", "st", "t", "v", ""];
  const vowels = ["a", "e", "i", "o", "u", "ea", "ou", "é"];
  const codas = ["", "", "n", "r", "s", "t", "l", "nd", "ng"];
  const words = new Set<string>();
  while (words.size < vocabularySize) {
    const syllables = 1 + Math.floor(random() * 3);
    let word = "";
    for (let index = 0; index < syllables; index += 1)
      word += pick(random, onsets) + pick(random, vowels) + pick(random, codas);
    words.add(word);
  }
  return [...words].with(rareWordRank, rareWord);
}

function pick(random: Random, list: readonly string[]): string {
  return list[Math.floor(random() * list.length)] ?? "";
}
