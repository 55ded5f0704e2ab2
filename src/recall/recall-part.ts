// The part of recall that is loaded at the first question (src/engine/context/later-recall.ts).
export { createRecall } from './recall.ts'
export { createTextLegs } from './text-leg.ts'
