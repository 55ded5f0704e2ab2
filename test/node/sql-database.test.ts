import { openNodeDatabase } from '../../src/hosts/node/node-database.ts'
import { sqlDatabaseContract } from '../contract/sql-database.ts'

sqlDatabaseContract('node:sqlite', () => Promise.resolve(openNodeDatabase({ path: ':memory:' })))
