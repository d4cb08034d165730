import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { drawLines, firstTable } from "./demo-picture.ts";

/** Draws the picture of the README from the demo's output on standard input. */
const picture = drawLines(firstTable(await text(process.stdin)));
writeFileSync(new URL("../../docs/pictures/demo.svg", import.meta.url), picture);
