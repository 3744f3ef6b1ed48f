module oxherd.internal/conformance-kubernetes

go 1.26

require (
	k8s.io/api v0.37.1
	k8s.io/apimachinery v0.37.1
	k8s.io/client-go v0.37.1
)
