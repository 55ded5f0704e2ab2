// All sections, on a narrow page.
import { places } from '../../kind/view.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { closeDialog } from '../../state/dialog.ts'
import { RailEntry, RailTools } from './rail.tsx'

export function PlacesDialog() {
  return (
    <Dialog title="All sections" onClose={closeDialog}>
      <div class="place-grid">
        {places.map((place) => (
          <RailEntry key={place.name} place={place} onGo={closeDialog} />
        ))}
      </div>
      <div class="place-grid place-tools">
        <RailTools />
      </div>
    </Dialog>
  )
}
