// The worker that hosts a book. It only wires; SQLite first, which takes longest.
import './storage/load-sqlite.ts'
import { expose } from 'comlink'
import { createWorkerEngine } from './worker/worker-engine.ts'

expose(createWorkerEngine())
