/** Checks each way of notices: whether its receiver can be reached, and whether it took what was sent. Nobody is notified. */
import { shownTarget } from '../../domain/operations/notice'
import { errorFields } from '../../domain/shared/error'
import { createMailer } from '../../system/mailer'
import { type Check, findings, type Wrong } from './finding'

const TIMEOUT_MS = 5_000

export const checkNotices: Check = async ({ store: { read } }) => {
  const check = 'notices'
  const ways = await read.notices.ways()
  const told = ways.map((way) => `${way.name} (${shownTarget(way)})`).join(', ')
  const messages = await read.notices.messagesOf((await read.notices.open()).map(({ noticeId }) => noticeId))
  const wrong = await Promise.all(
    ways.map(async ({ wayId, name, channel, settings }): Promise<Wrong[]> => {
      const reason =
        channel === 'mail' ? await createMailer().verify(settings, TIMEOUT_MS) : await unreached(settings.url)
      const lost = messages.filter((one) => one.wayId === wayId && one.status === 'failed').length
      const advice = `\`watchword notice test ${wayId}\` tries it.`
      return [
        ...(reason === undefined
          ? []
          : [{ state: 'problem' as const, message: `The way ${name} cannot be reached: ${reason}.`, advice }]),
        ...(lost === 0
          ? []
          : [
              {
                state: 'problem' as const,
                message: `The way ${name} did not take ${lost} of the open notices.`,
                advice,
              },
            ]),
      ]
    }),
  )
  return findings(
    check,
    wrong.flat(),
    ways.length === 0 ? 'Notices are shown in the console only.' : `Notices are told on: ${told}.`,
  )
}

async function unreached(url = ''): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  return fetch(url, { method: 'HEAD', redirect: 'manual', signal }).then(
    () => undefined,
    (error) => errorFields(error).code ?? String(error.message),
  )
}
