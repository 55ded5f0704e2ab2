// Loads `node:sqlite` at run time: in older versions of Node an import would fail before check-node.ts can
// throw its clear error.
import './check-node.ts'

const sqlite = process.getBuiltinModule('node:sqlite')

export const DatabaseSync = sqlite.DatabaseSync
export type DatabaseSync = InstanceType<typeof DatabaseSync>
