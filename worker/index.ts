// The edge that this repository deploys. Wires only.
import { createEdge } from './create-edge.ts'

export { Mirror } from './create-edge.ts'
export default createEdge()
