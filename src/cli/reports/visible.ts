/** Shows controls and marks of direction by their code points; ends of lines become spaces. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, " ")
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, (one) => `U+${hexadecimal(one)}`);
}

function hexadecimal(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
