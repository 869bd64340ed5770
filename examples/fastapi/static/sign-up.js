import '/static/watchword/element/index.js'

const screen = document.querySelector('watchword-verify')
screen.addEventListener('verified', () => {
  // A proof is good for once: nothing of it stays in this tab.
  addEventListener('pagehide', () => screen.reset())
  screen.form.requestSubmit()
})
