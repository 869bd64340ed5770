/** Notifications of success and failure, for `onSuccess` and `onError` of mutations. */
import { notifications } from '@mantine/notifications'
import { problemOf } from '../api'
import { frameWords } from '../i18n/frame'
import { inWords, wordsNow } from '../i18n/words'

const words = inWords({
  en: { problem: 'That did not work', request: (id: string) => `Request id ${id}` },
  ko: { problem: '처리하지 못했습니다', request: (id) => `요청 ID ${id}` },
})

const closeButtonProps = () => ({ 'aria-label': wordsNow(frameWords).close })

export function tellDone(message: string): void {
  notifications.show({ message, color: 'teal', closeButtonProps: closeButtonProps() })
}

export function tellProblem(failure: unknown): void {
  const say = wordsNow(words)
  const { message, requestId } = problemOf(failure)
  notifications.show({
    title: say.problem,
    message: requestId === undefined ? message : `${message} · ${say.request(requestId)}`,
    color: 'red',
    autoClose: 10_000,
    closeButtonProps: closeButtonProps(),
  })
}

export function tellFailure(message: string): void {
  notifications.show({ message, color: 'red', autoClose: 10_000, closeButtonProps: closeButtonProps() })
}
