import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { EVENT_TYPES, eventSchemas, eventType, otpEvent, sampleEvent } from '../../contract/event'

/** Specification, "Events": the fields of `data`; `otp.expired` and `otp.max_attempts`: decisions, "Webhooks". */
const FIELDS: Record<(typeof EVENT_TYPES)[number], { required: string[]; optional?: string[] }> = {
  'otp.sent': { required: ['id', 'to', 'method', 'type', 'status', 'sent_at'] },
  'otp.delivered': {
    required: ['id', 'status', 'delivered_at', 'carrier', 'country'],
    optional: ['to', 'method', 'type', 'cost', 'metadata'],
  },
  'otp.failed': { required: ['id', 'status', 'failed_at', 'error'] },
  'otp.verified': {
    required: ['id', 'status', 'verified_at', 'attempts'],
    optional: ['method', 'type', 'metadata'],
  },
  'otp.expired': {
    required: ['id', 'status', 'expired_at', 'attempts', 'max_attempts', 'method', 'type', 'metadata'],
  },
  'otp.max_attempts': {
    required: ['id', 'status', 'max_attempts_at', 'attempts', 'max_attempts', 'method', 'type', 'metadata'],
  },
}

describe.each([...EVENT_TYPES])('%s', (type) => {
  const schema = eventSchemas[type]
  const without = (field: string) => {
    const event = sampleEvent(type)
    const data = Object.fromEntries(Object.entries(event.data).filter(([name]) => name !== field))
    return { ...event, data }
  }

  test('has the fields of the specification, in an envelope', () => {
    expect(Object.keys(schema.shape)).toEqual(['id', 'type', 'created', 'data'])
    const { required, optional = [] } = FIELDS[type]
    expect(Object.keys(schema.shape.data.shape).sort()).toEqual([...required, ...optional].sort())
    for (const field of required) expect(schema.safeParse(without(field)).success).toBe(false)
    for (const field of optional) expect(schema.safeParse(without(field)).success).toBe(true)
  })

  test('has a sample that is one, whole and always the same', () => {
    const event = sampleEvent(type)
    expect<unknown>(otpEvent.parse(event)).toEqual(event)
    // The specification allows the number with a delivery; the service has erased it by then.
    const sent = (FIELDS[type].optional ?? []).filter((name) => name !== 'to')
    expect(Object.keys(event.data).sort()).toEqual([...FIELDS[type].required, ...sent].sort())
    const [at] = Object.entries(event.data).flatMap(([name, value]) => (name.endsWith('_at') ? [String(value)] : []))
    expect(event.created).toBe(Math.floor(Date.parse(at ?? '') / 1_000))
    Object.assign(event.data, { id: 'changed' })
    expect(sampleEvent(type).data.id).toBe('0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77')
  })

  test('can be published as JSON Schema', () => {
    const published = z.toJSONSchema(schema)
    expect(published).toMatchObject({ type: 'object', required: ['id', 'type', 'created', 'data'] })
    expect(published.description).toBeString()
    expect(published.examples).toEqual([sampleEvent(type)])
  })
})

test('the event types are those of the specification', () => {
  expect(eventType.options).toEqual(Object.keys(FIELDS) as never)
})

test.each(['+821012345678', '010-1234-5678', '+82******5678 (+821012345678)', '+8210123*5678'])(
  'no event can carry a number that is not masked: %s',
  (to) => {
    const sent = sampleEvent('otp.sent')
    expect(otpEvent.safeParse({ ...sent, data: { ...sent.data, to } }).success).toBe(false)
  },
)
