// What the package forgot to declare: the file system that its examples hold beside the declared ones.
declare module 'wa-sqlite/src/examples/AccessHandlePoolVFS.js' {
  type FileSystem = Parameters<ReturnType<typeof import('wa-sqlite').Factory>['vfs_register']>[0]
  export const AccessHandlePoolVFS: new (
    directory: string,
  ) => FileSystem & { readonly isReady: Promise<void>; close(): Promise<void> }
}
