/** Turns from light to dark and back; at first the page looks as the system wants it. */
export function turnTheme(): void {
  const { dataset } = document.documentElement;
  const now = dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  dataset["theme"] = now === "dark" ? "light" : "dark";
}
