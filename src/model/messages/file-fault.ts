/** What the codes of the operating system mean. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file"],
  ["ENOTDIR", "a part of its path is a file, not a folder"],
  ["EISDIR", "it is a folder"],
  ["EEXIST", "there is a file already"],
  ["EACCES", "permission denied"],
  ["EPERM", "not permitted"],
  ["EROFS", "the disk is read-only"],
  ["ENOSPC", "no space is left on the disk"],
  ["EDQUOT", "the disk quota is used up"],
  ["EMFILE", "too many files are open"],
  ["ENFILE", "too many files are open"],
  ["ELOOP", "a symbolic link leads back to itself"],
  ["ENAMETOOLONG", "the name is too long"],
  ["EBUSY", "it is in use"],
  ["EFBIG", "file too large"],
  ["EIO", "the disk reported an error"],
  ["EPIPE", "the reader has gone"],
  ["EADDRINUSE", "the port is in use"],
  ["EADDRNOTAVAIL", "this machine has no such address"],
]);

/** What went wrong with a file or a port, in words. */
export function fileFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  return MEANINGS.get(code) ?? error.message;
}
