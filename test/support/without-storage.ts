// What stands before the script of a worker that shall lack something: the only way to have a browser without it.

/** No `getDirectory` as in private windows of Firefox; a file system without sync handles; or whose handles fail. */
export type Lack = 'opfs' | 'handles' | 'files' | 'indexeddb'

export const lacking: Readonly<Record<Lack, string>> = {
  opfs: `StorageManager.prototype.getDirectory = () =>
  Promise.reject(new DOMException('Security error when calling GetDirectory', 'SecurityError'));
`,
  handles: `delete FileSystemFileHandle.prototype.createSyncAccessHandle;
`,
  files: `FileSystemFileHandle.prototype.createSyncAccessHandle = () =>
  Promise.reject(new DOMException('Not here.', 'NotSupportedError'));
`,
  indexeddb: `IDBFactory.prototype.open = () => {
  throw new DOMException('Not here.', 'SecurityError');
};
`,
}
