// `node:sqlite`, taken when it is run: an import of it would stop an older Node before it could say that it is too old.
import './check-node.ts'

const sqlite = process.getBuiltinModule('node:sqlite')

export const DatabaseSync = sqlite.DatabaseSync
export type DatabaseSync = InstanceType<typeof DatabaseSync>
