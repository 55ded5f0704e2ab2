// Short notices at the foot of the page. They also go to the live region, see app.tsx.
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { actOnToast, dismissToast, toasts } from '../../page/toast.ts'

export function ToastTray() {
  return (
    <>
      {toasts.value.map(({ number, text, act, error }) => (
        <div key={number} class="toast">
          {error === undefined ? <p>{text}</p> : <ErrorNotice title={text} error={error} />}
          {act && (
            <button type="button" class="button small" onClick={() => actOnToast(number)}>
              {act.word}
            </button>
          )}
          <button
            type="button"
            class="icon-button small"
            onClick={() => dismissToast(number)}
            title="Dismiss"
          >
            <Icon name="close" size={12} />
            <span class="hidden">Dismiss</span>
          </button>
        </div>
      ))}
    </>
  )
}
