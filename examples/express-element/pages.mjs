// What is put into them is ours, or signed: a number of digits and a plus.
const page = (body) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sign up</title>
    <link rel="icon" href="/icon.svg">
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>
    <main>${body}</main>
  </body>
</html>
`

export const signUpPage = ({ url, key, purpose, isTest, error }) =>
  page(`
      <h1>Sign up</h1>
      ${error ? `<p class="error" role="alert">${error}</p>` : ''}
      <form action="/sign-up" method="post">
        <watchword-verify name="proof" required url="${url}" key="${key}" purpose="${purpose}"${isTest ? ' country="GB"' : ''}></watchword-verify>
      </form>
      ${isTest ? '<p class="hint">Test mode: the number is +44&nbsp;7700&nbsp;900000, the code 000000.</p>' : ''}
      <script type="module" src="/sign-up.js"></script>`)

export const accountPage = (phoneNumber) =>
  page(`
      <h1>Welcome</h1>
      <p>You are signed in as <strong>${phoneNumber}</strong>.</p>
      <form action="/sign-out" method="post"><button type="submit">Sign out</button></form>`)
