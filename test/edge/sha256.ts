// SHA-256 as the engine at the edge has it.
import { workerPorts } from '../../worker/worker-ports.ts'

export const sha256 = (text: string): Promise<string> => workerPorts.digest.sha256(text)
