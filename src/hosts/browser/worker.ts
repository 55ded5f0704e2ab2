// The worker that hosts a book. It only wires.
import { expose } from 'comlink'
import { createWorkerEngine } from './worker-engine.ts'

expose(createWorkerEngine())
