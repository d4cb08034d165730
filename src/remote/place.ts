import { requestFault, StoreError } from "../errors.ts";
import { withoutTrailing } from "../model/plain-line.ts";
import type { Right } from "../model/rights.ts";

/** What a service says of the key that asks. */
export interface ServiceKey {
  readonly can: Right;
  readonly projects: readonly string[];
  /** Of the service. */
  readonly version: string;
}

/** Where a service is, and the key that it is asked with. */
export interface ServicePlace {
  /** Without the slash at its end. */
  readonly base: string;
  /** As messages name it: with the port, without key. */
  readonly address: string;
  readonly key: string;
  /** Null until the service has told. */
  service: ServiceKey | null;
}

const PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

function wrong(what: string) {
  return requestFault("schema", ["url"], what, "invalid_url");
}

/**
 * The place that an address names. Throws `RequestError` on one that is none, or that holds a key, which is not shown,
 * and `StoreError` `bad_credentials` where there is no key.
 */
export function servicePlace(address: string, key: string | undefined): ServicePlace {
  if (!URL.canParse(address)) throw wrong("must be the address of a service, such as https://host/base");
  const url = new URL(address);
  const { protocol, hostname, pathname } = url;
  const port = PORTS[protocol];
  if (port === undefined) throw wrong("must begin with https:// or http://");
  if (url.username !== "" || url.password !== "")
    throw wrong("must not hold a key, which others see; give it as key (on the command line: EVALCUBE_KEY)");
  if (url.search !== "" || url.hash !== "") throw wrong("must end with the base path of the service");
  const path = withoutTrailing(pathname, "/");
  const place = {
    base: `${url.origin}${path}`,
    address: `${protocol}//${hostname}:${url.port || port}${path}`,
    key: key ?? "",
    service: null,
  };
  if (place.key === "")
    throw new StoreError(
      "bad_credentials",
      `${place.address}: a service needs a key; set EVALCUBE_KEY, or name a file that begins with it with --key-file`,
    );
  if (/[\p{Cc}\s]/u.test(place.key))
    throw requestFault("schema", ["key"], "must be one line without blanks", "invalid_key");
  return place;
}

/** The path of a route of a project. `rest` is what follows the project. */
export function routeOf(projectId: string, rest: string): string {
  const names = projectId.split("/");
  if (names.some((name) => name === "." || name === ".."))
    throw requestFault(
      "schema",
      ["project"],
      "must not have . or .. as a name in an address",
      "invalid_project",
    );
  return `/v2/${names.map(encodeURIComponent).join("/")}/${rest}`;
}
