// Loads the repair of damaged books, which few pages need. Without it a damaged book stays as it is: opening it rejects with
// `part-unavailable`, and a later opening repairs it.
import { loadPart } from '../../../core/load-part.ts'
import { browserPorts } from '../port/browser-ports.ts'

const missing = {
  message: 'The book is damaged, and the file that repairs it could not be loaded.',
  details: { part: 'repair' },
}

export const loadRepair = () =>
  loadPart(() => import('../../../store/repair/mend.ts'), missing, browserPorts.scheduler)
