// The view of bundles: how a book leaves, and how it comes back.
import { ExportCard } from './export-card.tsx'
import { ImportCard } from './import-card.tsx'

export function BundleView() {
  return (
    <div class="page-scroll">
      <div class="page">
        <h1>Bundles</h1>
        <p class="quiet">
          A bundle is one file with everything in it: any Daybook can read it, and it says itself whether it
          is whole. It never leaves this device unless you send it.
        </p>
        <ExportCard />
        <ImportCard />
      </div>
    </div>
  )
}
