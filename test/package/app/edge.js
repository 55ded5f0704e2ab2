// A stranger's own edge.
import { createEdge } from 'daybook/edge'

export { Mirror } from 'daybook/edge'
export default createEdge()
