import { mirrorContract } from '../contract/mirror/mirror.ts'
import { durableDatabases } from './durable-database.ts'

mirrorContract('the SQLite of Durable Objects', durableDatabases)
