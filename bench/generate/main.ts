import { parseArgs } from "node:util";
import { prepareFiles } from "./files.ts";
import { isSizeName, sizes } from "./parameters.ts";

const { values } = parseArgs({
  options: {
    size: { type: "string", default: "100k" },
    order: { type: "string", default: "children-first" },
    trials: { type: "string" },
  },
});
if (!isSizeName(values.size)) throw new Error(`--size is one of ${Object.keys(sizes).join(", ")}`);
if (values.order !== "children-first" && values.order !== "parents-first")
  throw new Error("--order is children-first or parents-first");
const size = sizes[values.size];
const trials = Number(values.trials ?? size.trials);
const rows = Math.floor((size.rows * size.trials) / trials);
const started = performance.now();
const files = await prepareFiles({ ...size, rows, trials, order: values.order }, (message) => {
  console.error(message);
});
console.error(
  `${((performance.now() - started) / 1000).toFixed(1)} s, ${(files.callBytes / 1e6).toFixed(0)} MB`,
);
console.log(JSON.stringify(files, null, 2));
