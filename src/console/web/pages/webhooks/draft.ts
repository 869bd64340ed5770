/** An endpoint while it is edited, and the words of its form. */
import { inWords } from '../../i18n/words'
import type { ShownEndpoint } from './endpoint-state'
import { EVENT_TYPES, type NamedEventType } from './words'

/** A line of a growing list; React needs the key to keep its input. */
interface DraftLine<T> {
  key: number
  name: string
  value: T
}

export interface EndpointDraft {
  url: string
  events: NamedEventType[]
  methods: string[]
  purposes: string[]
  metadata: readonly DraftLine<string[]>[]
  /** Undefined keeps the stored headers. */
  headers: readonly DraftLine<string>[] | undefined
  hasTemplate: boolean
  template: string
}

let lastKey = 0
export const newLine = <T>(value: T, name = ''): DraftLine<T> => ({ key: ++lastKey, name, value })

const TEMPLATE = `{
  "event": "{{type}}",
  "issue": "{{data.id}}",
  "at": {{created}}
}`

export const newEndpoint = (): EndpointDraft => ({
  url: '',
  events: [...EVENT_TYPES],
  methods: [],
  purposes: [],
  metadata: [],
  headers: [],
  hasTemplate: false,
  template: TEMPLATE,
})

export const endpointDraft = ({ url, events, filters, headers, template }: ShownEndpoint): EndpointDraft => ({
  url,
  events: [...events],
  methods: filters.method ?? [],
  purposes: filters.type ?? [],
  metadata: Object.entries(filters.metadata ?? {}).map(([name, values]) => newLine(values, name)),
  headers: headers.length === 0 ? [] : undefined,
  hasTemplate: template !== '',
  template: template || TEMPLATE,
})

export const templateIn = ({ hasTemplate, template }: EndpointDraft) => (hasTemplate ? template : '')

export function settingsOf(draft: EndpointDraft) {
  const { url, events, methods, purposes, metadata, headers } = draft
  const named = metadata.filter(({ name, value }) => name.trim() !== '' && value.length > 0)
  return {
    url: url.trim(),
    events,
    filters: {
      ...(methods.length > 0 && { method: methods }),
      ...(purposes.length > 0 && { type: purposes }),
      ...(named.length > 0 && {
        metadata: Object.fromEntries(named.map(({ name, value }) => [name.trim(), value])),
      }),
    },
    template: templateIn(draft),
    ...(headers && {
      headers: Object.fromEntries(
        headers.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
      ),
    }),
  }
}

export const formWords = inWords({
  en: {
    newTitle: { test: 'New endpoint for test events', live: 'New endpoint for live events' },
    editTitle: 'Edit endpoint',
    urlHelp: 'Events are sent here as POST requests. The endpoint must answer with 2xx within five seconds.',
    eventsHelp: 'The events sent to this endpoint.',
    filters: 'Filters',
    filtersHelp: 'Only events that match all filters are sent. Empty: all events.',
    method: 'Channel',
    purpose: 'Purpose',
    purposeHelp: 'Type a purpose and press Enter. One match is enough.',
    metadata: 'Metadata',
    metadataKey: 'Key',
    metadataValues: 'Values',
    addMetadata: 'Add a metadata filter',
    headers: 'Static headers',
    headersHelp: 'Sent with every request, for example a token of your gateway. Values are never shown again.',
    headersKept: (names: string) => `Currently set: ${names}. They are kept.`,
    replaceHeaders: 'Replace all headers',
    headerName: 'Name',
    headerValue: 'Value',
    addHeader: 'Add a header',
    removeLine: (what: string) => `Remove ${what}`,
    nth: (what: string, n: number) => `${what} ${n}`,
    body: 'Payload',
    asIs: 'Unchanged',
    own: 'Custom JSON',
    template: 'Payload template',
    templateHelp:
      'JSON in which {{path}} inserts a value of the event: as text within quotes, as JSON outside of them.',
    paths: 'Insert a value',
    preview: 'Payload preview',
    previewOf: 'Event to preview',
    previewEmpty: 'Choose an event first.',
    add: 'Add endpoint',
    save: 'Save changes',
    saved: 'The endpoint is saved',
  },
  ko: {
    newTitle: { test: '새 테스트 이벤트 엔드포인트', live: '새 운영 이벤트 엔드포인트' },
    editTitle: '엔드포인트 수정',
    urlHelp: '이벤트를 POST로 보낼 주소입니다. 5초 안에 2xx로 응답해야 합니다.',
    eventsHelp: '이 엔드포인트로 보낼 이벤트를 고르세요.',
    filters: '필터',
    filtersHelp: '모든 조건에 맞는 이벤트만 보냅니다. 비워 두면 모두 보냅니다.',
    method: '채널',
    purpose: '용도(purpose)',
    purposeHelp: '입력하고 Enter 키를 누르세요. 하나만 일치해도 됩니다.',
    metadata: '메타데이터',
    metadataKey: '키',
    metadataValues: '값',
    addMetadata: '메타데이터 조건 추가',
    headers: '고정 헤더',
    headersHelp: '모든 요청에 함께 보냅니다. 게이트웨이 토큰 등에 쓰세요. 저장한 값은 다시 표시하지 않습니다.',
    headersKept: (names) => `현재 헤더: ${names}. 그대로 유지합니다.`,
    replaceHeaders: '헤더 모두 바꾸기',
    headerName: '이름',
    headerValue: '값',
    addHeader: '헤더 추가',
    removeLine: (what) => `${what} 삭제`,
    nth: (what, n) => `${what} ${n}`,
    body: '페이로드',
    asIs: '이벤트 그대로',
    own: '직접 작성한 JSON',
    template: '페이로드 템플릿',
    templateHelp:
      '이벤트의 값을 넣을 자리에 {{경로}}를 쓴 JSON입니다. 따옴표 안에서는 문자열로, 밖에서는 JSON으로 들어갑니다.',
    paths: '값 넣기',
    preview: '페이로드 미리보기',
    previewOf: '미리 볼 이벤트',
    previewEmpty: '먼저 이벤트를 고르세요.',
    add: '엔드포인트 추가',
    save: '변경 사항 저장',
    saved: '엔드포인트를 저장했습니다',
  },
})
