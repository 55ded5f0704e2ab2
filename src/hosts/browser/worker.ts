// The script of a book's worker. The import of SQLite comes first, because SQLite loads longest.
import './storage/load-sqlite.ts'
import { expose } from 'comlink'
import { WorkerEngine } from './worker/worker-engine.ts'

expose(new WorkerEngine())
