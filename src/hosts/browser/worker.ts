// The worker that hosts a book. It only wires; SQLite first, which takes longest.
import './storage/load-sqlite.ts'
import { expose } from 'comlink'
import { WorkerEngine } from './worker/worker-engine.ts'

expose(new WorkerEngine())
