// Frames that were right and were changed, over WebSockets to a mirror in workerd.
import { mutatedLineCases } from '../../contract/door/mutated-line.ts'
import { draws } from '../../support/whole.ts'
import { edgeLines } from './edge-lines.ts'

mutatedLineCases(edgeLines, draws(250, 1000))
