/** Global style sheets, which must come before those of the components. */
import '@mantine/core/styles.css'
import '@mantine/charts/styles.css'
import '@mantine/notifications/styles.css'
import './elements.css'
