import { useEffect, useState } from "preact/hooks";
import type { PageActions } from "../parts/page-actions.ts";
import { readAddress, writeAddress, type Address } from "./address.ts";

export interface UsedAddress {
  readonly address: Address;
  /** Members of the fragment that name nothing. */
  readonly unknown: readonly string[];
  /** Changes the state; `push` makes a step that Back undoes, as what is chosen on the page does by itself. */
  readonly change: (change: Partial<Address>, how?: "push" | "replace") => void;
}

/** The state of the page, which is the fragment of its address. */
export function useAddress(): UsedAddress {
  const [{ address, unknown }, setRead] = useState(() => readAddress(location.hash));
  useEffect(() => {
    const follow = () => setRead(readAddress(location.hash));
    addEventListener("popstate", follow);
    addEventListener("hashchange", follow);
    return () => {
      removeEventListener("popstate", follow);
      removeEventListener("hashchange", follow);
    };
  }, []);
  return { address, unknown, change: (part, how) => changeAddress(part, how ?? usualWay(part), setRead) };
}

/** What can be pressed on any page. */
export function actionsOf({ address, change }: UsedAddress): PageActions {
  return {
    chooseScore: (name) => change({ score: name }),
    turnTheme,
    candidate: address.with[0] ?? null,
    chooseCandidate: (id) => change({ with: [id] }, "push"),
  };
}

/** At first the page looks as the system wants it. */
function turnTheme(): void {
  const { dataset } = document.documentElement;
  const now = dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  dataset["theme"] = now === "dark" ? "light" : "dark";
}

/** What is typed, the open row and what it shows replace; everything else that people choose is a step. */
const REPLACED: ReadonlySet<string> = new Set<keyof Address>([
  "project",
  "search",
  "row",
  "with",
  "attempts",
]);

function usualWay(part: Partial<Address>): "push" | "replace" {
  return Object.keys(part).every((name) => REPLACED.has(name)) ? "replace" : "push";
}

/** How many steps of the history lead back to before the row was opened: 0 where none does. */
function stepsSinceOpened(): number {
  const state: unknown = history.state;
  return typeof state === "number" ? state : 0;
}

function changeAddress(
  part: Partial<Address>,
  how: "push" | "replace",
  setRead: (read: ReturnType<typeof readAddress>) => void,
): void {
  const before = readAddress(location.hash);
  const address = { ...before.address, ...part };
  const since = before.address.row === null ? 0 : stepsSinceOpened();
  if (address.row === null && since > 0) {
    const keep = () => {
      const { address: found } = readAddress(location.hash);
      history.replaceState(history.state, "", `#${writeAddress({ ...found, with: address.with })}`);
      setRead(readAddress(location.hash));
    };
    addEventListener("popstate", keep, { once: true });
    history.go(-since);
    return;
  }
  const url = `#${writeAddress(address)}`;
  // What changes nothing is no step.
  if (how === "push" && url !== `#${writeAddress(before.address)}`)
    history.pushState(before.address.row === null ? Number("row" in part) : since && since + 1, "", url);
  else history.replaceState(history.state, "", url);
  setRead({ address, unknown: before.unknown });
}
