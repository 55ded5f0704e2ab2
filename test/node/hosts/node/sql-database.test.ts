import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { sqlDatabaseContract } from '../../../contract/port/sql-database.ts'

sqlDatabaseContract('node:sqlite', () => Promise.resolve(openNodeDatabase({ path: ':memory:' })))
