/*
 * Records every change of files below one folder into a trace, in the order in which it happens. Preloaded into a
 * process; EVALCUBE_RECORD_FOLDER (a real path) and EVALCUBE_RECORD_TRACE say what and where. record-format: each entry
 * is a struct entry, then `name`, `other` and the data. Several processes may write one trace: an entry is one append.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN = 1, WRITE, RESIZE, EXTEND, SYNC, SYNC_FOLDER, RENAME, UNLINK, LINK, MARK, UNKNOWN };
#define MAGIC 0x45565443u

struct entry {
  uint32_t magic, operation;
  uint64_t inode, offset, length;
  uint32_t name, other, data, process;
};

static int trace = -1;
static char folder[PATH_MAX];
static size_t folder_length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int inside;

static void *next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    static const char text[] = "recorder: a function of libc is missing\n";
    (void)!syscall(SYS_write, 2, text, sizeof text - 1);
    _exit(97);
  }
  return found;
}
#define NEXT(name) \
  static __typeof__(&name) real; \
  if (real == NULL) real = (__typeof__(&name))next(#name)

__attribute__((constructor)) static void start(void) {
  const char *file = getenv("EVALCUBE_RECORD_TRACE");
  const char *where = getenv("EVALCUBE_RECORD_FOLDER");
  if (file == NULL || where == NULL) return;
  folder_length = strlen(where);
  if (folder_length >= sizeof folder) return;
  memcpy(folder, where, folder_length + 1);
  trace = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

/* What is behind the folder in a path, "" for the folder itself, NULL for what is elsewhere. */
static const char *within(const char *path) {
  if (strncmp(path, folder, folder_length) != 0) return NULL;
  if (path[folder_length] == '\0') return path + folder_length;
  return path[folder_length] == '/' ? path + folder_length + 1 : NULL;
}

static const char *within_of(int file, char *buffer) {
  char link[64];
  if (trace < 0 || file < 0 || file == trace) return NULL;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, buffer, PATH_MAX - 1);
  if (length < 0) return NULL;
  buffer[length] = '\0';
  return within(buffer);
}

/* The last part of the path need not be there. */
static const char *within_at(int at, const char *path, char *buffer) {
  char start[PATH_MAX];
  if (trace < 0 || path == NULL) return NULL;
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  if (path[0] != '/' && at != AT_FDCWD) {
    char base[PATH_MAX];
    snprintf(start, sizeof start, "/proc/self/fd/%d", at);
    ssize_t length = readlink(start, base, sizeof base - 1);
    if (length < 0) return NULL;
    base[length] = '\0';
    if (snprintf(start, sizeof start, "%s/%.*s", base, (int)(name - path), path) >= (int)sizeof start) return NULL;
  } else if (slash == NULL) {
    strcpy(start, ".");
  } else {
    snprintf(start, sizeof start, "%.*s", (int)(slash - path + 1), path);
  }
  char *real = realpath(start, NULL);
  if (real == NULL) return NULL;
  snprintf(buffer, PATH_MAX, "%s%s%s", real, *name == '\0' ? "" : "/", name);
  free(real);
  return within(buffer);
}

static void put(uint32_t operation, uint64_t inode, uint64_t offset, uint64_t length, const char *name,
                const char *other, const void *data, size_t size) {
  struct entry head = {MAGIC, operation, inode, offset, length, (uint32_t)strlen(name), (uint32_t)strlen(other),
                       (uint32_t)size, (uint32_t)getpid()};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)name, head.name}, {(void *)other, head.other},
                          {(void *)data, size}};
  ssize_t whole = (ssize_t)(sizeof head + head.name + head.other + size);
  if (syscall(SYS_writev, trace, parts, 4) != whole) {
    static const char text[] = "recorder: the trace cannot be written\n";
    (void)!syscall(SYS_write, 2, text, sizeof text - 1);
    _exit(98);
  }
}

static uint64_t inode_of(int file) {
  struct stat found;
  return fstat(file, &found) == 0 ? (uint64_t)found.st_ino : 0;
}

/* Whether this call is ours to record; if so, until leave() no other thread changes anything. */
static int enter(void) {
  if (trace < 0 || inside) return 0;
  inside = 1;
  pthread_mutex_lock(&lock);
  return 1;
}

static void leave(void) {
  int error = errno;
  pthread_mutex_unlock(&lock);
  inside = 0;
  errno = error;
}

/* What is written to this file acknowledges something; the file itself is no part of the disk. */
static int is_marks(const char *name) { return strcmp(name, "marks") == 0; }

/* opening */

static int opened(int at, const char *path, int flags, mode_t mode) {
  char buffer[PATH_MAX];
  int changes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
  const char *name = NULL;
  int ours = changes && enter();
  if (ours) name = within_at(at, path, buffer);
  int existed = name != NULL && faccessat(at, path, F_OK, 0) == 0;
  int file = (int)syscall(SYS_openat, at, path, flags, mode);
  if (file >= 0 && name != NULL && (flags & O_DIRECTORY) == 0 && !is_marks(name)) {
    uint64_t inode = inode_of(file);
    put(OPEN, inode, !existed, (uint64_t)flags, name, "", NULL, 0);
    if (existed && (flags & O_TRUNC) != 0) put(RESIZE, inode, 0, 0, name, "", NULL, 0);
  }
  if (ours) leave();
  return file;
}

#define MODE_OF(flags, mode) \
  mode_t mode = 0; \
  if (((flags) & O_CREAT) != 0 || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  }

int open(const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return opened(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return opened(AT_FDCWD, path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return opened(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return opened(at, path, flags, mode);
}
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int __open_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return opened(AT_FDCWD, path, flags, 0); }

/* writing */

static uint64_t place_of(int file) {
  struct stat found;
  if ((fcntl(file, F_GETFL) & O_APPEND) != 0 && fstat(file, &found) == 0) return (uint64_t)found.st_size;
  return (uint64_t)lseek(file, 0, SEEK_CUR);
}

static ssize_t wrote(int file, const struct iovec *parts, int count, off_t place, int placed) {
  char buffer[PATH_MAX];
  const char *name = within_of(file, buffer);
  uint64_t offset = name == NULL ? 0 : placed ? (uint64_t)place : place_of(file);
  ssize_t done = placed ? syscall(SYS_pwritev, file, parts, count, place, 0) : syscall(SYS_writev, file, parts, count);
  int error = errno;
  if (done > 0 && name != NULL) {
    char *all = malloc((size_t)done);
    size_t filled = 0;
    for (int i = 0; i < count && filled < (size_t)done; i++) {
      size_t size = parts[i].iov_len < (size_t)done - filled ? parts[i].iov_len : (size_t)done - filled;
      memcpy(all + filled, parts[i].iov_base, size);
      filled += size;
    }
    put(is_marks(name) ? MARK : WRITE, inode_of(file), offset, (uint64_t)done, name, "", all, filled);
    free(all);
  }
  errno = error;
  return done;
}

static ssize_t write_recorded(int file, const struct iovec *parts, int count, off_t place, int placed) {
  int ours = enter();
  ssize_t done = ours     ? wrote(file, parts, count, place, placed)
                 : placed ? syscall(SYS_pwritev, file, parts, count, place, 0)
                          : syscall(SYS_writev, file, parts, count);
  if (ours) leave();
  return done;
}

/* What is elsewhere keeps its own way: a write may wait for a reader, and must not keep the lock meanwhile. */
static int is_ours(int file) {
  char buffer[PATH_MAX];
  int error = errno;
  int ours = !inside && within_of(file, buffer) != NULL;
  errno = error;
  return ours;
}

ssize_t write(int file, const void *data, size_t size) {
  NEXT(write);
  if (!is_ours(file)) return real(file, data, size);
  struct iovec part = {(void *)data, size};
  return write_recorded(file, &part, 1, 0, 0);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
  NEXT(writev);
  return is_ours(file) ? write_recorded(file, parts, count, 0, 0) : real(file, parts, count);
}
#define PWRITE(name, offset_type) \
  ssize_t name(int file, const void *data, size_t size, offset_type place) { \
    NEXT(name); \
    if (!is_ours(file)) return real(file, data, size, place); \
    struct iovec part = {(void *)data, size}; \
    return write_recorded(file, &part, 1, place, 1); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)
#define PWRITEV(name, offset_type) \
  ssize_t name(int file, const struct iovec *parts, int count, offset_type place) { \
    NEXT(name); \
    return is_ours(file) ? write_recorded(file, parts, count, place, 1) : real(file, parts, count, place); \
  }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

/* Copies inside the kernel are refused, so that the copy goes through write(). */
ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t size, unsigned flags) {
  NEXT(copy_file_range);
  if (!is_ours(out)) return real(in, from, out, to, size, flags);
  errno = EXDEV;
  return -1;
}
#define SENDFILE(name, offset_type) \
  ssize_t name(int out, int in, offset_type *from, size_t size) { \
    NEXT(name); \
    if (!is_ours(out)) return real(out, in, from, size); \
    errno = EINVAL; \
    return -1; \
  }
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

int ioctl(int file, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if ((request == 0x40049409 || request == 0x4020940d) && is_ours(file)) { /* FICLONE, FICLONERANGE */
    errno = EOPNOTSUPP;
    return -1;
  }
  return (int)syscall(SYS_ioctl, file, request, argument);
}

long syscall(long number, ...) {
  static long (*real)(long, ...);
  if (real == NULL) real = (long (*)(long, ...))next("syscall");
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_copy_file_range && is_ours((int)a[2])) {
    errno = EXDEV;
    return -1;
  }
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* A shared mapping that is written to is not followed: the reader of the trace refuses it. */
#define MMAP(name, offset_type) \
  void *name(void *address, size_t length, int protection, int flags, int file, offset_type offset) { \
    NEXT(name); \
    if ((flags & MAP_SHARED) != 0 && (protection & PROT_WRITE) != 0 && file >= 0 && is_ours(file) && enter()) { \
      put(UNKNOWN, inode_of(file), 0, 0, "mmap", "", NULL, 0); \
      leave(); \
    } \
    return real(address, length, protection, flags, file, offset); \
  }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

/* sizes */

#define ON_FILE(call, operation, offset, length) \
  char buffer[PATH_MAX]; \
  if (!is_ours(file) || !enter()) return call; \
  const char *name = within_of(file, buffer); \
  int done = call; \
  if (done == 0 && name != NULL) put(operation, inode_of(file), offset, length, name, "", NULL, 0); \
  leave(); \
  return done;

int ftruncate(int file, off_t size) {
  NEXT(ftruncate);
  ON_FILE(real(file, size), RESIZE, (uint64_t)size, 0)
}
int ftruncate64(int file, off64_t size) {
  NEXT(ftruncate64);
  ON_FILE(real(file, size), RESIZE, (uint64_t)size, 0)
}
int fallocate(int file, int mode, off_t offset, off_t length) {
  NEXT(fallocate);
  ON_FILE(real(file, mode, offset, length), mode == 0 ? EXTEND : UNKNOWN, (uint64_t)offset, (uint64_t)length)
}
int fallocate64(int file, int mode, off64_t offset, off64_t length) {
  NEXT(fallocate64);
  ON_FILE(real(file, mode, offset, length), mode == 0 ? EXTEND : UNKNOWN, (uint64_t)offset, (uint64_t)length)
}
int posix_fallocate(int file, off_t offset, off_t length) {
  NEXT(posix_fallocate);
  ON_FILE(real(file, offset, length), EXTEND, (uint64_t)offset, (uint64_t)length)
}
int posix_fallocate64(int file, off64_t offset, off64_t length) {
  NEXT(posix_fallocate64);
  ON_FILE(real(file, offset, length), EXTEND, (uint64_t)offset, (uint64_t)length)
}

static int resized(const char *path, off_t size) {
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
  if (file < 0) return -1;
  int done = ftruncate(file, size);
  int error = errno;
  close(file);
  errno = error;
  return done;
}
int truncate(const char *path, off_t size) { return resized(path, size); }
int truncate64(const char *path, off64_t size) { return resized(path, size); }

/* syncing; sync_file_range gives no promise and counts as nothing */

static uint32_t sync_of(const char *name) { return *name == '\0' ? SYNC_FOLDER : SYNC; }
int fsync(int file) {
  NEXT(fsync);
  ON_FILE(real(file), sync_of(name), 0, 0)
}
int fdatasync(int file) {
  NEXT(fdatasync);
  ON_FILE(real(file), sync_of(name), 0, 0)
}

/* names */

static int renamed(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
  char from_buffer[PATH_MAX], to_buffer[PATH_MAX];
  int ours = enter();
  const char *from_name = ours ? within_at(from_at, from, from_buffer) : NULL;
  const char *to_name = ours ? within_at(to_at, to, to_buffer) : NULL;
  int done = (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
  if (done == 0 && (from_name != NULL || to_name != NULL)) {
    int followed = from_name != NULL && to_name != NULL && (flags & ~1u) == 0;
    put(followed ? RENAME : UNKNOWN, 0, 0, 0, followed ? from_name : "rename", followed ? to_name : "", NULL, 0);
  }
  if (ours) leave();
  return done;
}
int rename(const char *from, const char *to) { return renamed(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_at, const char *from, int to_at, const char *to) {
  return renamed(from_at, from, to_at, to, 0);
}
int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
  return renamed(from_at, from, to_at, to, flags);
}

static int unlinked(int at, const char *path, int flags) {
  char buffer[PATH_MAX];
  int ours = enter();
  const char *name = ours ? within_at(at, path, buffer) : NULL;
  int done = (int)syscall(SYS_unlinkat, at, path, flags);
  if (done == 0 && name != NULL && (flags & AT_REMOVEDIR) == 0) put(UNLINK, 0, 0, 0, name, "", NULL, 0);
  if (ours) leave();
  return done;
}
int unlink(const char *path) { return unlinked(AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) { return unlinked(at, path, flags); }
int remove(const char *path) {
  int done = unlinked(AT_FDCWD, path, 0);
  return done != 0 && (errno == EISDIR || errno == EPERM) ? unlinked(AT_FDCWD, path, AT_REMOVEDIR) : done;
}

static int linked(int from_at, const char *from, int to_at, const char *to, int flags) {
  char from_buffer[PATH_MAX], to_buffer[PATH_MAX];
  int ours = enter();
  const char *from_name = ours ? within_at(from_at, from, from_buffer) : NULL;
  const char *to_name = ours ? within_at(to_at, to, to_buffer) : NULL;
  int done = (int)syscall(SYS_linkat, from_at, from, to_at, to, flags);
  if (done == 0 && to_name != NULL) {
    int followed = from_name != NULL;
    put(followed ? LINK : UNKNOWN, 0, 0, 0, followed ? from_name : "link", followed ? to_name : "", NULL, 0);
  }
  if (ours) leave();
  return done;
}
int link(const char *from, const char *to) { return linked(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
  return linked(from_at, from, to_at, to, flags);
}
