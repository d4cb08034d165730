/** A name that came from data: what is shown, and the whole of it. */
export interface Name {
  readonly text: string;
  readonly full: string;
}

/** Words of ours, and names, which a page isolates from them. */
export type Sentence = readonly (string | Name)[];

/** Makes a sentence of a template; strings join the words around them. */
export function say(words: TemplateStringsArray, ...values: readonly (string | Name | Sentence)[]): Sentence {
  return joined(words.flatMap((word, i) => [[word], partsOf(values[i] ?? "")]));
}

/** One sentence after another, with a blank between them. */
export function paragraph(sentences: readonly Sentence[]): Sentence {
  return joined(sentences.flatMap((one, i) => (i === 0 ? [one] : [[" "], one])));
}

/** `A`, `A and B`, `A, B and C`; with `; ` between them `A; B; C`. */
export function listed(items: readonly Sentence[], between = ", "): Sentence {
  const last = between === ", " ? " and " : between;
  return joined(items.flatMap((item, i) => [[i === 0 ? "" : i === items.length - 1 ? last : between], item]));
}

/** The sentence as one text, for readers that show no more than text. */
export function plainText(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === "string" ? part : part.text)).join("");
}

/** The sentence with other texts for its names. */
export function withNames(sentence: Sentence, told: (name: string) => string): Sentence {
  return sentence.map((part) => (typeof part === "string" ? part : { ...part, text: told(part.text) }));
}

function partsOf(value: string | Name | Sentence): Sentence {
  return isSentence(value) ? value : [value];
}

function isSentence(value: string | Name | Sentence): value is Sentence {
  return Array.isArray(value);
}

/** Adjacent words become one part. */
function joined(sentences: readonly Sentence[]): Sentence {
  const parts: (string | Name)[] = [];
  for (const part of sentences.flat()) {
    const last = parts.at(-1);
    if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part;
    else if (part !== "") parts.push(part);
  }
  return parts;
}
