import { writeFile } from "node:fs/promises";
import path from "node:path";
// The version of TypeScript is fixed in package.json, as this interface may change with it.
import { API, SymbolFlags, type Checker, type Symbol } from "typescript/unstable/sync";
import type { UserProject } from "./install-package.ts";

/** An exported name, with its properties and what an editor shows beside them. */
export interface Declared {
  readonly name: string;
  readonly doc: string;
  /** Its declaration, without comments. */
  readonly text: string;
  readonly members: readonly { readonly name: string; readonly doc: string }[];
}

const OPTIONS = {
  target: "ES2023",
  module: "NodeNext",
  strict: true,
  skipLibCheck: true,
  types: ["node"],
  noEmit: true,
};

/** What an editor knows of the exports of a file in a user's project; faults of the file are thrown. */
export async function readDeclarations(
  { folder }: UserProject,
  file: string,
  text: string,
): Promise<Declared[]> {
  const config = path.join(folder, "tsconfig.json");
  await writeFile(path.join(folder, file), text);
  await writeFile(config, JSON.stringify({ compilerOptions: OPTIONS, files: [file] }));
  const api = new API({ cwd: folder });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    const source = project?.program.getSourceFile(path.join(folder, file));
    if (project === undefined || source === undefined) throw new Error(`${file} is in no project`);
    const [fault] = project.program.getSemanticDiagnostics(path.join(folder, file));
    if (fault !== undefined) throw new Error(`${file}: ${JSON.stringify(fault)}`);
    const { checker } = project;
    const module = checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is no module`);
    return checker.getExportsOfModule(module).map((symbol) => declared(checker, symbol));
  } finally {
    api.close();
  }
}

function declared(checker: Checker, exported: Symbol): Declared {
  const isAlias = (exported.flags & SymbolFlags.Alias) !== 0;
  const known = isAlias ? checker.getAliasedSymbol(exported) : exported;
  const members = checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(known))
    .filter(isDeclaredHere)
    .map((member) => ({ name: member.name, doc: member.getDocumentationComment(checker) }));
  const text = known.declarations.map((declaration) => declaration.resolve()?.getText() ?? "").join("\n");
  return {
    name: exported.name,
    doc: known.getDocumentationComment(checker),
    text: text.replaceAll(/\/\*.*?\*\//gs, ""),
    members,
  };
}

/** In the package, not in TypeScript's own libraries, nor in those of others. */
function isDeclaredHere({ declarations }: Symbol): boolean {
  return declarations.some((declaration) => !/\/node_modules\/(?!evalcube\/)/.test(declaration.path));
}
