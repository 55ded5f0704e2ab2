// The worker of a book. SQLite comes first, because it loads longest.
import './storage/load-sqlite.ts'
import { expose } from 'comlink'
import { WorkerEngine } from './worker/worker-engine.ts'

expose(new WorkerEngine())
