/** Why a test that looks into /proc, or that the kernel must serve, cannot run here; null where it can. */
export const notLinux: string | null = process.platform === "linux" ? null : "needs Linux";

/** Why a test that runs a POSIX shell cannot run here; null where it can. */
export const notPosix: string | null = process.platform === "win32" ? "needs a POSIX shell" : null;
