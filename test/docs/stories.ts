/** Which blocks are followed together, by whom. A block that is in none of them, and does not say why, fails a test. */
import { type Block, blocksOf } from './pages'

export interface Story {
  page: string
  /** The whole page where omitted. */
  sections?: readonly string[]
}

/** Followed to the end, each by a new reader; what they print is compared. */
export const STORIES: readonly Story[] = [
  { page: 'README.md' },
  { page: 'docs/abuse.md' },
  { page: 'docs/administration.md' },
  { page: 'docs/backups.md' },
  { page: 'docs/carrier-checklist.md' },
  { page: 'docs/carriers.md' },
  { page: 'docs/sms.md' },
  { page: 'docs/whatsapp.md' },
  { page: 'docs/telegram.md' },
  { page: 'docs/calls.md' },
  { page: 'docs/client.md' },
  { page: 'docs/command-line.md' },
  { page: 'docs/getting-started.md' },
  { page: 'docs/limits.md' },
  { page: 'docs/operating.md' },
  { page: 'docs/privacy.md' },
  { page: 'docs/relays.md' },
  { page: 'docs/usage.md' },
  { page: 'docs/relay-appwrite.md' },
  { page: 'docs/conformance.md' },
  { page: 'docs/relay-auth0.md' },
  { page: 'docs/relay-authgear.md' },
  { page: 'docs/relay-authsignal.md' },
  { page: 'docs/relay-clerk.md' },
  { page: 'docs/relay-cognito.md' },
  { page: 'docs/relay-firebase.md' },
  { page: 'docs/relay-keycloak.md' },
  { page: 'docs/relay-kratos.md' },
  { page: 'docs/relay-logto.md' },
  { page: 'docs/relay-otpgateway.md' },
  { page: 'docs/relay-supabase.md' },
  { page: 'docs/relay-zitadel.md' },
  { page: 'docs/secrets.md' },
  { page: 'docs/texts.md' },
  { page: 'docs/twilio.md', sections: ['Try it', 'Node'] },
  { page: 'docs/versions.md' },
  { page: 'docs/watching.md' },
  {
    page: 'docs/webhooks.md',
    sections: ['Telling', 'Sending again', 'Filters, headers and templates', 'Rotation'],
  },
]

/** What stands before each backend of docs/app.md. */
const APP = ['Start Watchword', 'The page', 'The rules']

/** Backends of docs/app.md, by their heading, and what is followed to have them run. */
export const APPS = {
  Express: [...APP, 'Express'],
  Hono: [...APP, 'Hono'],
  'Next.js': [...APP, 'Next.js'],
} as const

/** The same in other languages, with the programs they need: `bun run docs:languages`. */
export const LANGUAGES = {
  FastAPI: { programs: ['python3'], sections: ['Start Watchword', 'The page', 'FastAPI'] },
  Go: { programs: ['go'], sections: ['Start Watchword', 'The page', 'Go'] },
} as const

/** Clients made from the description, with the programs that takes, and what comes before: also `bun run docs:languages`. */
export const CLIENTS = {
  Python: { programs: ['python3'], after: ['Before you start'] },
  Go: { programs: ['go'], after: ['Before you start'] },
  PHP: { programs: ['java', 'php', 'python3'], after: ['Before you start', 'OpenAPI Generator'] },
  Kotlin: { programs: ['java', 'python3'], after: ['Before you start', 'OpenAPI Generator'] },
  Swift: { programs: ['java', 'python3'], after: ['Before you start', 'OpenAPI Generator'] },
} as const

/** What is followed to have one of them. */
export const clientStories = (name: keyof typeof CLIENTS): Story[] => [
  { page: 'docs/clients.md', sections: CLIENTS[name].after },
  { page: `docs/client-${name.toLowerCase()}.md` },
]

/** SDKs of Twilio in other languages: also `bun run docs:languages`. */
export const TWILIO = {
  Python: { programs: ['python3'], page: 'docs/twilio.md', sections: ['Try it', 'Python'] },
  Go: { programs: ['go'], page: 'docs/twilio.md', sections: ['Try it', 'Go'] },
} as const

/** Followed by a reader who has a PostgreSQL. */
export const SERVERS: Story = { page: 'docs/several-servers.md', sections: ['Two servers in five minutes'] }

/** Followed by a reader who has the files of a release. */
export const INSTALLING: Story = { page: 'docs/installing.md' }

/** Receivers of docs/webhooks.md, by their heading. */
export const RECEIVERS = ['Node, without a framework', 'Express', 'Hono', 'Bun'] as const
export const receiverSections = (name: (typeof RECEIVERS)[number]) => ['Telling', 'Receiving', name]

export const blocksOfStory = ({ page, sections }: Story): Block[] => blocksOf(page, sections)

/** Every block that is followed by somebody. */
export const followed: ReadonlySet<Block> = new Set(
  [
    ...STORIES,
    SERVERS,
    INSTALLING,
    ...Object.values(APPS).map((sections) => ({ page: 'docs/app.md', sections })),
    ...Object.values(LANGUAGES).map(({ sections }) => ({ page: 'docs/app.md', sections })),
    ...(Object.keys(CLIENTS) as Array<keyof typeof CLIENTS>).flatMap(clientStories),
    ...Object.values(TWILIO),
    ...RECEIVERS.map((name) => ({ page: 'docs/webhooks.md', sections: receiverSections(name) })),
  ].flatMap(blocksOfStory),
)
