// The edge that this repository deploys.
import { createEdge } from './create-edge.ts'

export { Mirror } from './create-edge.ts'
export default createEdge()
