// Loads `node:sqlite` at run time: an import would fail on older versions of Node before check-node.ts can
// explain it.
import './check-node.ts'

const sqlite = process.getBuiltinModule('node:sqlite')

export const DatabaseSync = sqlite.DatabaseSync
export type DatabaseSync = InstanceType<typeof DatabaseSync>
