;;; agent-shell.el --- A double of agent-shell: what a snippet adds can be printed  -*- lexical-binding: t; -*-

(require 'cl-lib)
(require 'json)

(defvar agent-shell-agent-configs nil)

(cl-defun agent-shell-make-agent-config (&key identifier mode-line-name buffer-name
                                              shell-prompt shell-prompt-regexp client-maker)
  "Give a configuration with a CLIENT-MAKER; all other parts must be there."
  (dolist (text (list mode-line-name buffer-name shell-prompt shell-prompt-regexp))
    (cl-check-type text string))
  (cl-check-type identifier symbol)
  `((:identifier . ,identifier) (:client-maker . ,client-maker)))

(cl-defun agent-shell--make-acp-client (&key command command-params environment-variables context-buffer)
  "Give what a client starts."
  (cl-check-type context-buffer buffer)
  (list command command-params environment-variables))

(defun print-launch ()
  "Print how the only agent that was added is started."
  (cl-assert (= 1 (length agent-shell-agent-configs)))
  (pcase-let* ((maker (alist-get :client-maker (car agent-shell-agent-configs)))
               (`(,command ,args ,env) (funcall maker (current-buffer)))
               (variables (mapcar (lambda (each)
                                    (cons (car (split-string each "="))
                                          (substring each (1+ (string-match "=" each)))))
                                  env)))
    (princ (json-encode `((command . ,command)
                          (args . ,(vconcat args))
                          (env . ,(or variables (make-hash-table))))))))

(provide 'agent-shell)
