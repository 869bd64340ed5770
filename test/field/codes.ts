/** Codes as people and platforms give them, as public reports tell. Codes and texts are made up. */
export interface CodeCase {
  /** The public report. */
  report: string
  /** Why this is right. */
  authority: string
  given: string
  /** Undefined: there is no single code of six digits. */
  code: string | undefined
  /** What a relay finds in such a text, where it is something else. */
  relayed?: string
}

const WICG = 'WICG, "Origin-bound one-time codes delivered via SMS": the last line names the code'
const GOV_UK = 'GOV.UK Design System, "Confirm a phone number": allow spaces, hyphens and dashes'
const UNICODE = 'Unicode UAX 44: Nd digits have a decimal value, and invisible characters mean nothing'
const PLATFORM = 'The pages of the platforms: one code, and words around it'

export const CODES: readonly CodeCase[] = [
  ...[
    '인증번호는 [482913]입니다.\n\n@app.example.com #482913',
    'Your code is 482913\r\n\r\n@app.example.com #482913',
    'Order 771204 is ready. Code: 482913\n@shop.example.com #482913 %pay.example.net',
    'Code 482913\n@shop.example.com:8443 #482913 ',
  ].map((given) => ({
    ...{ report: 'https://github.com/code-farmz/ng-otp-input/issues/27', authority: WICG, given, code: '482913' },
  })),
  ...['٤٨٢٩١٣', '۴۸۲۹۱۳', '४८२९१३', '４８２９１３', 'رمز التحقق ٤٨٢٩١٣'].map((given) => ({
    ...{ report: 'https://github.com/firebase/FirebaseUI-iOS/issues/430', authority: UNICODE, given, code: '482913' },
  })),
  ...['482\u00a0913', '\u200b482913', '482-913\n', ' 482913', '\ufeff482913', '4829\u00ad13'].map((given) => ({
    ...{ report: 'https://github.com/PostHog/posthog/pull/71442', authority: UNICODE, given, code: '482913' },
  })),
  ...[
    '482 913',
    '4 8 2 9 1 3',
    '482\u2013913',
    '482.913',
    'Your code is 482-913. It ends in 5 minutes',
    'Код: 482 913',
    '認証番号【482 913】',
  ].map((given) => ({
    ...{ report: 'https://github.com/guilhermerodz/input-otp/issues/53', authority: GOV_UK, given, code: '482913' },
  })),
  {
    // A keyboard puts the code of a message in twice.
    report: 'https://github.com/wuweijia/work-life-balance/issues/69',
    authority: 'HTML: autocomplete=one-time-code fills in one code',
    given: '482913482913',
    code: '482913',
  },
  {
    report: 'https://github.com/jd1378/otphelper/issues/186',
    authority: PLATFORM,
    given: '验证码为【 482913 】，5分钟内有效。编号：15BJ202247',
    code: '482913',
  },
  ...[
    'OTP for card XX1245 is 811739',
    'Call 1300 101 234 if not you. Code 811739',
    'OFFICE365 code 811739',
    'G-811739 is your code',
    'code 811739, order 15BJ202247',
  ].map((given) => ({
    ...{ report: 'https://github.com/Tkko/flutter_smart_auth/issues/26', authority: PLATFORM, given, code: '811739' },
  })),
  // Its neighbours: two codes are none, and groups of a phone number are none.
  {
    report: 'https://github.com/Tkko/flutter_smart_auth/issues/26',
    authority: PLATFORM,
    given: '811739 or 224466',
    code: undefined,
    relayed: '811739',
  },
  {
    report: 'https://github.com/Tkko/flutter_smart_auth/issues/26',
    authority: PLATFORM,
    given: 'Call 020 100 234 5',
    code: undefined,
  },
  {
    report: 'https://github.com/Tkko/flutter_smart_auth/issues/26',
    authority: PLATFORM,
    given: 'Ihr PIN für K2B: 8117',
    code: undefined,
    relayed: '8117',
  },
  ...['@pay.example.net', '%pay.example.net'].map((embedded) => ({
    report: 'https://github.com/WICG/sms-one-time-codes/issues/4',
    authority: `${WICG}, and behind it an @ and the embedded origin; Apple writes %`,
    given: `Order 771204 is ready. Code: 482913\n@shop.example.com #482913 ${embedded}`,
    code: '482913',
  })),
  // Scripts without spaces have letters at both sides of a code.
  ...[
    '【1024CODE】您的手机验证码是482913',
    'OFFICE365 验证码是482913',
    '【云】482913为您的登录验证码，请于5分钟内填写。',
    '認証コードは482913です。有効期限は3分です。',
    '인증번호는482913입니다. 3분 이내에 입력하세요.',
    'รหัสของคุณคือ482913ใช้ได้5นาที',
    'Your OTP482913 is valid',
  ].map((given) => ({
    report: 'https://github.com/jd1378/otphelper/issues/151',
    authority: PLATFORM,
    given,
    code: '482913',
  })),
  {
    report: 'https://github.com/LeeeSe/MessAuto/issues/71',
    authority: PLATFORM,
    given: '【店】W8406772您的验证码482913，请勿泄露',
    code: '482913',
  },
]
