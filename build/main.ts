import { rm } from "node:fs/promises";
import path from "node:path";
import { buildPackage } from "./build-package.ts";

const dist = path.join(import.meta.dirname, "../dist");
await rm(dist, { recursive: true, force: true });
await buildPackage(dist);
