{{- define "watchword.name" -}}
{{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "watchword.selector" -}}
app.kubernetes.io/name: watchword
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "watchword.metadata" -}}
metadata:
  name: {{ include "watchword.name" . }}
  labels:
    {{- include "watchword.selector" . | nindent 4 }}
    app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- define "watchword.image" -}}
{{ .Values.image.repository }}{{ with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}
