// Takes Emscripten's file system in memory out of SQLite's script. No book has a file there: books are in OPFS or in
// SQLite's own memory. One path stays: SQLite reads /dev/urandom once to start its random numbers.
// Invariant: fails unless each part is found exactly once, and if anything left still calls a part.

/** Parts that nothing calls without the file system. */
const unused = [
  'PATH',
  'initRandomFill',
  'randomFill',
  'PATH_FS',
  'FS_stdin_getChar_buffer',
  'intArrayFromString',
  'FS_stdin_getChar',
  'TTY',
  'zeroMemory',
  'mmapAlloc',
  'MEMFS',
  'FS_modeStringToFlags',
  'FS_fileDataToTypedArray',
  'FS_getMode',
  'asyncLoad',
  'FS_createDataFile',
  'getUniqueRunDependency',
  'preloadPlugins',
  'FS_handledByPreloadPlugin',
  'FS_preloadFile',
  'FS_createPreloadedFile',
  'FS',
  'SYSCALLS',
  'syscallGetVarargI',
  'syscallGetVarargP',
  'readI53FromI64',
  'doReadv',
  'doWritev',
]

/** Lines that prepare the file system. */
const lines = [
  '\t\tif (!Module["noFSInit"] && !FS.initialized) FS.init();\n',
  '\t\tTTY.init();\n',
  '\t\tFS.ignorePermissions = false;\n',
  '\tFS.createPreloadedFile = FS_createPreloadedFile;\n',
  '\tFS.preloadFile = FS_preloadFile;\n',
  '\tFS.staticInit();\n',
  '\tif (Module["preloadPlugins"]) preloadPlugins = Module["preloadPlugins"];\n',
]

const randomFile = '(at, path) => UTF8ToString(path) === "/dev/urandom" ? 3 : -44'
const randomBytes = `(fd, parts, count, total) => {
		var sum = 0;
		for (; count > 0; count--, parts += 8) {
			var start = HEAPU32[parts >> 2], length = HEAPU32[parts + 4 >> 2];
			crypto.getRandomValues(HEAPU8.subarray(start, start + length));
			sum += length;
		}
		HEAPU32[total >> 2] = sum;
		return 0;
	}`
/** ENOENT: SQLite reports that it can't open the file. */
const noFile = '() => -44'
/** EBADF, without a sign as WASI wants it. */
const noHandle = '() => 8'
const done = '() => 0'

/** The calls of SQLite to the system, by name. @type {Record<string, string>} */
const calls = {
  ___syscall_chmod: noFile,
  ___syscall_faccessat: noFile,
  ___syscall_fchmod: noFile,
  ___syscall_fchown32: noFile,
  // SQLite sets a flag of /dev/urandom.
  ___syscall_fcntl64: done,
  ___syscall_fstat64: noFile,
  ___syscall_ftruncate64: noFile,
  ___syscall_getcwd: noFile,
  ___syscall_ioctl: noFile,
  ___syscall_lstat64: noFile,
  ___syscall_mkdirat: noFile,
  ___syscall_newfstatat: noFile,
  ___syscall_openat: randomFile,
  ___syscall_readlinkat: noFile,
  ___syscall_rmdir: noFile,
  ___syscall_stat64: noFile,
  ___syscall_unlinkat: noFile,
  ___syscall_utimensat: noFile,
  __mmap_js: noFile,
  __munmap_js: noFile,
  _fd_close: done,
  _fd_fdstat_get: noHandle,
  _fd_read: randomBytes,
  _fd_seek: noHandle,
  _fd_sync: noHandle,
  _fd_write: noHandle,
}

/** The first text after Emscripten's own part. */
const end = '\n\tModule.runSQLite3PostLoadInit = '

/** Replaces the declaration of a name at the top of the script. @param {string} code @param {string} name @param {string} by */
function replaceDeclaration(code, name, by) {
  const starts = [...code.matchAll(new RegExp(`\\n\\t(?:var ${name} = |function ${name}\\()`, 'g'))]
  const from = starts[0]?.index ?? -1
  if (starts.length !== 1) throw new Error(`Expected exactly one declaration of ${name}`)
  const lineEnd = code.indexOf('\n', from + 1)
  const close = code.indexOf('\n\t}', from)
  const to = code[lineEnd - 1] === ';' ? lineEnd : code.indexOf('\n', close + 1)
  if (to < 0 || (to !== lineEnd && close < 0)) throw new Error(`Expected the end of ${name}`)
  return code.slice(0, from) + by + code.slice(to)
}

/** Throws unless the text occurs exactly once, so that a new version of a package doesn't slip through. */
export function replaceOnce(
  /** @type {string} */ code,
  /** @type {string} */ from,
  /** @type {string} */ to,
) {
  if (code.split(from).length !== 2) throw new Error(`Expected exactly one ${from.trim()}`)
  return code.replace(from, () => to)
}

/** SQLite's script without the file system. @param {string} code */
export function withoutFiles(code) {
  const at = code.indexOf(end)
  if (at < 0) throw new Error(`Expected ${end.trim()}`)
  let own = lines.reduce((rest, line) => replaceOnce(rest, line, ''), code.slice(0, at))
  for (const name of unused) own = replaceDeclaration(own, name, '')
  for (const [name, call] of Object.entries(calls))
    own = replaceDeclaration(own, name, `\n\tvar ${name} = ${call};`)
  const called = unused.find((name) => new RegExp(`\\b${name}(?:\\.|\\(|\\[)`).test(own))
  if (called) throw new Error(`Expected no more calls of ${called}`)
  return own + code.slice(at)
}
